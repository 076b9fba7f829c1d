pub const NAME: &str = "tool";
<<<<<<< HEAD
pub const VERSION: u32 = 1;
=======
pub const VERSION: u32 = 2;
>>>>>>> main

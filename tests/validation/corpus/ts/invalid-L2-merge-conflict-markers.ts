export type Status =
<<<<<<< HEAD
  | "open"
=======
  | "todo"
>>>>>>> main
  | "done";

public class Version
{
<<<<<<< HEAD
    public int Minor = 1;
=======
    public int Minor = 2;
>>>>>>> main
}

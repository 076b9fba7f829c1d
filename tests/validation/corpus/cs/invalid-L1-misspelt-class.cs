public clas Person
{
    public string Name;
}

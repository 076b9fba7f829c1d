public clas Person {
    private String name;
    public String name() { return name; }
}

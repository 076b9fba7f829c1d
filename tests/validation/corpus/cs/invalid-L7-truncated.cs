using System;

public class Names
{
    public string Join(string[] names)
    {
        return string.Join(", ",

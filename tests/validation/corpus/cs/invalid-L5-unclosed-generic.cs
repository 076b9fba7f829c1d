using System.Collections.Generic;

public class Bag
{
    private List<string names = null;
}

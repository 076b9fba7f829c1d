// a brace { in a comment
/* and a quote " here ( */
public class Größe
{
    /// <summary>Returns <c>x &lt; y</c> }</summary>
    public string Name => "日本語 🎉 }"; // )
    public int @class = 1;
    public int Zähle(int 値) { return 値 + 1; }
}

using System;

public class Flow
{
    public static int Run(string[] args, ref int total, out bool ok, params int[] rest)
    {
        ok = true;
        for (int i = 0, j = 10; i < j; i++, j--) { if (i == 3) continue; }
        do { total--; } while (total > 0);
        switch (args.Length)
        {
            case 0:
            case > 5 when ok:
                goto default;
            case 1: { break; }
            default:
                return -1;
        }
        try { checked { total *= 2; } }
        catch (OverflowException e) when (e.Message != "") { throw; }
        catch { ok = false; }
        finally { lock (args) { } }
        using (var r = new System.IO.StringReader("x")) while (r.Read() >= 0) ;
        return total is > 3 ? 1 : default;
    }
}

#define TRACE_ALL
using System;
#if DEBUG && !TRACE_ALL
using System.Diagnostics;
#elif TRACE_ALL
using System.Text;
#else
#error unknown
#endif
#pragma warning disable CS0168

public static class Program
{
    public static void Main() => Console.WriteLine("x");
}

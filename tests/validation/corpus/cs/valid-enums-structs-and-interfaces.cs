using System;

[Flags]
public enum Access : byte { None = 0, Read = 1 << 0, Write = 0b10, All = Read | Write, }

public ref struct Buffer
{
    public Span<byte> Data;
    public readonly int Length => Data.Length;
}

public delegate TResult Transform<in T, out TResult>(T input);

public abstract class Shape
{
    protected internal const double Tau = 6.28_31d;
    public abstract double Area { get; }
    public virtual string? Label { get; protected set; } = null!;
    public override string ToString() => $"{GetType().Name}: {Area:0.00}";
}

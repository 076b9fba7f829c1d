using System;
using System.Collections.Generic;

public interface IRepository<in TKey, out T> where T : class?, new() where TKey : notnull
{
    T? Find(TKey key);
    static abstract T Default { get; }
    IEnumerable<T> All() => Array.Empty<T>();
}

public sealed class Cache<T> where T : unmanaged, IComparable<T>
{
    private readonly Dictionary<string, List<(int Id, T Value)>> items = new();
    public T this[string key, int index] { get => items[key][index].Value; set => items[key][index] = (index, value); }
    public static Cache<T> operator +(Cache<T> a, Cache<T> b) => a;
    public static implicit operator bool(Cache<T> c) => c is not null;
}

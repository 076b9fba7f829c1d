#nullable enable
using System;

namespace Demo
{
    [Serializable]
    public partial class Counter
    {
        public event EventHandler<int>? Changed;
        private int _count;
        public int Count
        {
            get { return _count; }
            private set
            {
                _count = value;
                Changed?.Invoke(this, value);
            }
        }
        public static Counter operator ++(Counter c) { c.Count++; return c; }
        ~Counter() { }
        #region Helpers
        partial void OnChanged();
        #endregion
    }
}

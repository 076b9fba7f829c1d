using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

public class Loader
{
    public async IAsyncEnumerable<int> PagesAsync(int n, [EnumeratorCancellation] CancellationToken token = default)
    {
        for (var i = 0; i < n; i++)
        {
            await Task.Delay(10, token).ConfigureAwait(false);
            yield return i;
        }
    }

    public async Task<int> SumAsync()
    {
        var total = 0;
        await foreach (var page in PagesAsync(3)) total += page;
        await using var scope = new Scope();
        return total;
    }
}

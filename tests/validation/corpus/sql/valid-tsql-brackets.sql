SELECT TOP (10) [o].[Order ID], [c].[Name]
FROM [dbo].[Orders] AS [o]
INNER JOIN [dbo].[Customers] AS [c] ON [c].[Id] = [o].[CustomerId]
WHERE [o].[Total] > 10
ORDER BY [o].[Order ID] DESC;

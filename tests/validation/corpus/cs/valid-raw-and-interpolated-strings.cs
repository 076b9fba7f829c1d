using System;

var name = "Ada";
var json = """
    {"a": [1, 2], "quote": "\""}
    """;
var mixed = $$"""{"name": "{{name}}", "brace": "{"}""";
var path = @"C:\temp\""quoted""";
var text = $"{name,10:F2} {{literal}} {(name.Length > 2 ? "long" : "short")}";
var both = $@"{name}\n {path}";
Console.WriteLine(json + mixed + text + both + '\'' + '{' + "\u0041"u8.Length);

/* nested /* comment { */ still ( */
func größe(名前: String) -> Int {
    // } "unbalanced
    let 🎉 = "naïve }"
    return 名前.count + 🎉.count
}
let π = 3.14159
print(größe(名前: "x"), π)

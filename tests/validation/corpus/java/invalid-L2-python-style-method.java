public class Calc {
    def add(self, a, b):
        return a + b
}

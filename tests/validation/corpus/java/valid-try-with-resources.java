import java.io.*;

class Files2 {
    static String firstLine(String path) throws IOException {
        var extra = new StringReader("x");
        try (var in = new BufferedReader(new FileReader(path)); extra) {
            return in.readLine();
        } catch (FileNotFoundException | SecurityException e) {
            throw new UncheckedIOException("cannot read " + path, new IOException(e));
        } finally {
            System.out.println("done");
        }
    }
}

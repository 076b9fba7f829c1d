class Reader {
    void read() {
        System.out.println("reading");
        catch (Exception e) {
            e.printStackTrace();
        }
    }
}

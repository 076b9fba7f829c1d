/* { ( [ " ' */
// a line comment with an apostrophe: don't {
int value = 1; /* } */ int other = 2; // )
int main(void) {
    // \
    still a comment {
    return value / *&other; /* divide */
}

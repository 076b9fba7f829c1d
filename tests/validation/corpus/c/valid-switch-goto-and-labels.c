int classify(int c)
{
    int depth = 0;
again:
    switch (c) {
    case '(': case '[': case '{':
        ++depth;
        break;
    case ')':
    case '\'':
    case '"':
        --depth;
        /* fall through */
    default: {
        if (depth-- > 0) goto again;
        else if (c == '\\') ;
        else return -1;
    }
    }
    return depth;
}

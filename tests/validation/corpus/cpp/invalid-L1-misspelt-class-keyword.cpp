clas Point {
public:
    int x = 0;
};

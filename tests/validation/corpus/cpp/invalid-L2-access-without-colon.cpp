class Account {
public
    double balance = 0;
private:
    int id = 1;
};

const char *query = R"(SELECT *
FROM users
WHERE id = 1;

int main() { return 0; }

from os import path,
from sys import argv
print(path, argv)

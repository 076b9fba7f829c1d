#!/bin/bash
<<<<<<< HEAD
echo one
=======
echo two
>>>>>>> main

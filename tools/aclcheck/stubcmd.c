#include "tools/aclcheck/command.h"
int cmd_diff(int argc, char **argv); int cmd_suppress(int argc, char **argv);
int cmd_diff(int argc, char **argv){(void)argc;(void)argv;return 99;}
int cmd_suppress(int argc, char **argv){(void)argc;(void)argv;return 99;}

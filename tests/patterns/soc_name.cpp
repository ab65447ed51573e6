/* SPDX-License-Identifier: Apache-2.0 */
/* Asks for the product and never initialises anything. */
#include "../programs/program.h"

using namespace program;

int main(int argc, char **argv)
{
	begin(argc, argv);
	const char *name = aclrtGetSocName();
	std::printf("%s\n", name ? name : "(none)");
	expect(name != nullptr, "a name");
	return end();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Exceptions that a callback throws through the runtime and the call around it. */
#include <cstdio>
#include <stdexcept>
#include <string>

#include "acl/acl.h"

namespace
{

int thrown;

void callback(aclrtExceptionInfo *)
{
	aclrtSetDevice(0); /* a call inside the callback */
	throw std::runtime_error("number " + std::to_string(++thrown));
}

struct guard {
	int *count;
	~guard()
	{
		++*count;
	}
};

} /* namespace */

int main()
{
	int caught = 0, unwound = 0;
	std::string last;

	aclInit(nullptr);
	aclrtSetExceptionInfoCallback(callback);
	for (int i = 0; i < 1000; i++) {
		try {
			guard g{&unwound};
			aclrtSetDevice(7);
		} catch (const std::runtime_error &e) {
			last = e.what();
			caught++;
		}
		aclInit(nullptr); /* a finding, in no call */
	}
	std::printf("%d caught, %d unwound, %s\n", caught, unwound, last.c_str());
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of a program that copies: some break a rule, in this thread or another. */
#include <acl/acl.h>
#include <thread>

#include "aclcheck_gtest.h"

namespace
{

class Copy : public testing::Test
{
      protected:
	static void SetUpTestSuite()
	{
		aclInit(nullptr);
		aclrtSetDevice(0);
		aclrtCreateStream(&stream);
		aclrtMalloc(&memory, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST);
		aclrtMemset(memory, 1 << 20, 0, 1 << 20);
	}

	static void TearDownTestSuite()
	{
		aclrtSynchronizeStream(stream);
		aclrtDestroyStream(stream);
		aclrtFree(memory);
		aclrtResetDevice(0);
		aclFinalize();
	}

	static void copy(std::size_t offset)
	{
		char *at = static_cast<char *>(memory);

		aclrtMemcpyAsync(at + 4096, 64, at + offset, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, stream);
	}

	static aclrtStream stream;
	static void *memory;
};

aclrtStream Copy::stream;
void *Copy::memory;

TEST_F(Copy, Right)
{
	copy(64);
}

TEST_F(Copy, Wrong)
{
	copy(1);
}

TEST_F(Copy, WrongAgain)
{
	copy(1);
}

TEST_F(Copy, RightAfterwards)
{
	copy(128);
}

TEST_F(Copy, InAnotherThread)
{
	std::thread([] {
		aclrtSetDevice(0);
		copy(2);
		aclrtResetDevice(0);
	}).join();
}

TEST_F(Copy, Expected)
{
	ACLCHECK_EXPECT_SCOPE("async-copy-*", "it is what this test is about");
	copy(3);
}

} // namespace

int main(int argc, char **argv)
{
	testing::InitGoogleTest(&argc, argv);
	aclcheck::listen();
	return RUN_ALL_TESTS();
}

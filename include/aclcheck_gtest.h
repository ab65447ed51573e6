/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GoogleTest: findings of libaclcheck fail the test that ran, in whatever thread they came.
 *
 *	#include <aclcheck_gtest.h>
 *	int main(int argc, char **argv)
 *	{
 *		testing::InitGoogleTest(&argc, argv);
 *		aclcheck::listen();
 *		return RUN_ALL_TESTS();
 *	}
 *
 * Each test counts anew; its name ("Suite.Test") is in the report.  A test that breaks a rule on purpose
 *opens ACLCHECK_EXPECT_SCOPE (aclcheck.h); that it was met is evaluated at the end of the run.  Without the
 *tool nothing happens.  Needs C++11 and nothing to link.
 */
#ifndef ACLCHECK_GTEST_H
#define ACLCHECK_GTEST_H

#include <cstddef>
#include <string>

#include <gtest/gtest.h>

#include "aclcheck.h"

namespace aclcheck
{

class test_listener : public testing::EmptyTestEventListener
{
      public:
	test_listener()
	{
		ACLCHECK_FIND_("aclcheck_test_begin", begin_);
		ACLCHECK_FIND_("aclcheck_test_take", take_);
	}

	/* What was found before, by a fixture of the suite, belongs to no test. */
	void OnTestStart(const testing::TestInfo &test) override
	{
		name_ = std::string(test.test_suite_name()) + "." + test.name();
		if (begin_)
			begin_(name_.c_str());
	}

	void OnTestEnd(const testing::TestInfo &) override
	{
		if (!begin_ || !take_)
			return;
		report();
		begin_(nullptr);
	}

      private:
	void report()
	{
		static const char failing[] = "fail ";
		char lines[16385];
		std::string text(lines, take_(lines, sizeof(lines))), found;

		for (std::size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
			if (!text.compare(at, sizeof(failing) - 1, failing))
				found += "\n  " + text.substr(at + sizeof(failing) - 1,
							  end - at - sizeof(failing) + 1);
		if (!found.empty())
			ADD_FAILURE() << "aclcheck found:" << found;
	}

	void (*begin_)(const char *name);
	std::size_t (*take_)(char *to, std::size_t size);
	std::string name_;
};

/* Once, before RUN_ALL_TESTS(). Behind the printer: of an end the last listener is told first. */
inline void listen()
{
	testing::UnitTest::GetInstance()->listeners().Append(new test_listener);
}

} // namespace aclcheck

#endif

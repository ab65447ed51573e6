/* SPDX-License-Identifier: Apache-2.0 */
/* A program whose library uses the runtime before main and after it. */
void early_needed(void);

int main(void)
{
	early_needed();
	return 0;
}

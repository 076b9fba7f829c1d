#include <linux/list.h>

static void show(struct list_head *devices)
{
	struct device *dev;

	list_for_each_entry(dev, devices, node) {
		if (!dev->ok)
			continue;
		pr_info("dev %s\n", dev->name);
	}
}

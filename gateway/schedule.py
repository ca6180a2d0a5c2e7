"""The schedule of tasks, the settings' CELERY_BEAT_SCHEDULE. A number is the seconds between two runs."""

from celery.schedules import crontab

SCHEDULE = {
    "measure-replication-lag": {"task": "gateway.tasks.measure_replication_lag", "schedule": 2.0},
    "catch-up-sessions": {"task": "gateway.tasks.catch_up_sessions", "schedule": 10.0},
    "sweep-account-letters": {"task": "gateway.tasks.sweep_account_letters", "schedule": 60.0},
    "copy-shop-structure": {"task": "catalog.tasks.copy_structure", "schedule": 300.0},
    "sync-sweep": {"task": "gateway.tasks.sync_sweep", "schedule": 10.0},
    "turn-discounts": {"task": "catalog.tasks.turn_discounts", "schedule": 30.0},
    "keep-search-vocabulary": {"task": "catalog.tasks.keep_vocabulary", "schedule": 60.0},
    "sweep-pictures": {"task": "catalog.tasks.sweep_pictures", "schedule": 600.0},
    "abandon-expired-carts": {"task": "cart.tasks.sweep", "schedule": 300.0},
    "analyse-abandoned-carts": {"task": "cart.tasks.analyse", "schedule": 600.0},
    "sweep-holds": {"task": "ordering.tasks.sweep_holds", "schedule": 30.0},
    "sweep-orders": {"task": "ordering.tasks.sweep_orders", "schedule": 30.0},
    # 03:30 in Moscow: when the shop sleeps. And once more, to correct only what both looks found.
    "check-reservations": {"task": "ordering.tasks.check_reservations", "schedule": crontab(hour=0, minute="30,40")},
    # 04:00 in Moscow, half an hour behind the check.
    "repair-cassandra": {"task": "gateway.tasks.repair_cassandra", "schedule": crontab(hour=1, minute=0)},
    # Behind the repair: what the replicas mend among themselves does not differ. And then what was repaired can leave.
    "reconcile": {"task": "gateway.tasks.reconcile", "schedule": crontab(hour=2, minute=0)},
    "archive-orders": {"task": "ordering.tasks.archive", "schedule": crontab(hour=3, minute=0)},
    "sum-sales": {"task": "ordering.tasks.sum_sales", "schedule": 300.0},
    # It counts a month: four times a day is enough, and never beside the nightly work.
    "count-bought": {"task": "ordering.tasks.count_bought", "schedule": crontab(hour="5,11,17,23", minute=20)},
    "sweep-customers": {"task": "admin_ext.tasks.sweep_customers", "schedule": 60.0},
    "sweep-jobs": {"task": "admin_ext.tasks.sweep_jobs", "schedule": 10.0},
    "sweep-structure": {"task": "admin_ext.tasks.sweep_structure", "schedule": 60.0},
    "sweep-mails": {"task": "ordering.tasks.sweep_mails", "schedule": 60.0},
}

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('catalog', '0006_discount_plans'),
    ]

    operations = [
        migrations.CreateModel(
            name='StockMovement',
            fields=[
                ('id', models.CharField(db_column='_id', max_length=128, primary_key=True, serialize=False)),
                ('product', models.CharField(max_length=64)),
                ('at', models.DateTimeField()),
                ('order_id', models.CharField(max_length=36)),
                ('geozone', models.CharField(max_length=16)),
                ('counted', models.IntegerField()),
                ('reserved', models.IntegerField()),
                ('left', models.IntegerField(null=True)),
            ],
            options={
                'db_table': 'stock_movements',
                'managed': False,
                'default_permissions': (),
            },
        ),
    ]

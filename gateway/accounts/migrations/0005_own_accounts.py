from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0004_people_of_the_desk'),
    ]

    operations = [
        migrations.CreateModel(
            name='AccountLetter',
            fields=[
                ('id', models.CharField(db_column='_id', max_length=36, primary_key=True, serialize=False)),
                ('kind', models.CharField(max_length=16)),
                ('to', models.CharField(max_length=254)),
                ('user_id', models.CharField(max_length=32, null=True)),
                ('about', models.CharField(max_length=254)),
                ('language', models.CharField(max_length=2)),
                ('at', models.DateTimeField()),
                ('due', models.DateTimeField()),
                ('tries', models.PositiveIntegerField(default=0)),
            ],
            options={
                'db_table': 'account_letters',
                'managed': False,
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='AddressBook',
            fields=[
                ('id', models.CharField(db_column='_id', max_length=32, primary_key=True, serialize=False)),
                ('addresses', models.JSONField(default=list)),
            ],
            options={
                'db_table': 'address_books',
                'managed': False,
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='OrderClaim',
            fields=[
                ('id', models.CharField(db_column='_id', max_length=32, primary_key=True, serialize=False)),
                ('email', models.CharField(max_length=254)),
                ('due', models.DateTimeField()),
            ],
            options={
                'db_table': 'order_claims',
                'managed': False,
                'default_permissions': (),
            },
        ),
        migrations.AddField(
            model_name='user',
            name='email_confirmed_at',
            field=models.DateTimeField(blank=True, editable=False, null=True, verbose_name='адрес подтверждён'),
        ),
        migrations.AddField(
            model_name='user',
            name='new_email',
            field=models.EmailField(blank=True, default='', editable=False, max_length=254, verbose_name='новый e-mail'),
            preserve_default=False,
        ),
    ]

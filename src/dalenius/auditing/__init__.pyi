from dalenius.auditing.plan import read_plan as read_plan
from dalenius.auditing.run import run_plan as run_plan
from dalenius.auditing.schemas import findings_schema as findings_schema
from dalenius.spread.places import working as working

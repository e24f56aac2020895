from dalenius.attacks.claims import Guesses as Guesses
from dalenius.attacks.reconstruction.attack import reconstruct as reconstruct
from dalenius.audit.people import run_plan as run_plan
from dalenius.audit.plan import read_plan as read_plan
from dalenius.audit.run import Audit as Audit
from dalenius.audit.run import Planned as Planned
from dalenius.audit.run import audit as audit
from dalenius.dataset.dataset import Dataset as Dataset
from dalenius.dataset.dataset import read as read
from dalenius.dataset.examples import example as example
from dalenius.errors import DaleniusError as DaleniusError
from dalenius.errors import InputError as InputError
from dalenius.findings.document import AuditReport as AuditReport
from dalenius.findings.policy import Policy as Policy
from dalenius.knowledge.view import Knowledge as Knowledge
from dalenius.knowledge.view import View as View
from dalenius.random import stream as stream
from dalenius.release.files import read_release as read_release
from dalenius.release.files import write_release as write_release
from dalenius.release.publish import publish as publish
from dalenius.release.publish import roster_of as roster_of
from dalenius.release.release import Block as Block
from dalenius.release.release import Release as Release
from dalenius.report.text import summary as summary

__version__: str

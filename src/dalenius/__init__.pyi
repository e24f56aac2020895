from dalenius import inference as inference
from dalenius import reconstruction as reconstruction
from dalenius import singling_out as singling_out
from dalenius import tracing as tracing
from dalenius._api import audit as audit
from dalenius.auditing.run import Audit as Audit
from dalenius.auditing.schemas import read_report as read_report
from dalenius.errors import DaleniusError as DaleniusError
from dalenius.errors import InputError as InputError
from dalenius.findings.policy import Policy as Policy
from dalenius.findings.report import Report as Report
from dalenius.people.dataset import read as read
from dalenius.people.examples.examples import example as example
from dalenius.release.publish import publish as publish
from dalenius.release.release import Release as Release
from dalenius.wording import gaussian as gaussian
from dalenius.wording import laplace as laplace
from dalenius.wording import means as means
from dalenius.wording import rounding as rounding
from dalenius.wording import suppression as suppression
from dalenius.wording import tables as tables

__version__: str

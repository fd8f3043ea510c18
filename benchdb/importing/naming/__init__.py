"""What names in texts of others mean: chips, workloads, frameworks, devices, systems.

Each function returns what a whole text names, and ``None`` where it names nothing that
we know, or several things.
"""

from benchdb.importing.naming.chip_names import UNKNOWN as UNKNOWN
from benchdb.importing.naming.chip_names import RecognisedChip as RecognisedChip
from benchdb.importing.naming.chip_names import accelerators as accelerators
from benchdb.importing.naming.chip_names import chip as chip
from benchdb.importing.naming.chip_names import chips_in as chips_in
from benchdb.importing.naming.chip_names import device as device
from benchdb.importing.naming.chip_names import gpu_of as gpu_of
from benchdb.importing.naming.chip_names import model as model
from benchdb.importing.naming.chip_names import processor as processor
from benchdb.importing.naming.chip_names import processor_and_card as processor_and_card
from benchdb.importing.naming.chip_names import without_chips as without_chips
from benchdb.importing.naming.names import framework as framework
from benchdb.importing.naming.names import framework_typed as framework_typed
from benchdb.importing.naming.names import framework_version as framework_version
from benchdb.importing.naming.names import frameworks as frameworks
from benchdb.importing.naming.names import is_language_model as is_language_model
from benchdb.importing.naming.names import networks as networks
from benchdb.importing.naming.names import os as os
from benchdb.importing.naming.names import precision as precision
from benchdb.importing.naming.names import quantization as quantization
from benchdb.importing.naming.names import without_networks as without_networks
from benchdb.importing.naming.names import workload as workload

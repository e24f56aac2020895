"""What importing this room costs."""

import subprocess
import sys


def test_import_is_light_and_knows_nobody() -> None:
    modules = "gaussian_limits lp discrepancy least_squares subset_counts tables"
    code = (
        "import sys, dalenius.theory.privacy;"
        f"[__import__('dalenius.theory.reconstruction.' + m) for m in '{modules}'.split()];"
        "print(*sorted(m for m in sys.modules if m.startswith(('dalenius', 'scipy.'))))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names = loaded.stdout.split()
    assert not {"scipy.stats", "scipy.optimize"} & set(names)
    ours = {name for name in names if name.startswith("dalenius") and "theory" not in name}
    assert ours <= {"dalenius", "dalenius.errors", "dalenius.registry"}  # the last one: the face itself

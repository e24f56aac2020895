"""dalenius: what could an attacker learn about one person from the statistics you are about to publish?

The path of the data, and the rooms of the package along it::

    files, SQL            publisher's side                                     what the world sees
    ────────► dataset ──► statistics ──► mechanisms ──► release ═══════════╗ (wall: plain values only)
                 │                                                          ▼
                 │                              knowledge ──► view ──► attacks ──► claims
                 │                                                          ║ (wall: claims only)
                 └────────► referee ◄═══════════════════════════════════════╝
                               └──► findings (with theory) ──► report

Nothing flows back: an attack gets the release and the attacker's knowledge, never the truth.
"""

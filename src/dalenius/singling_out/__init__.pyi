from dalenius.people.opening import read_rows as read_rows
from dalenius.singling_out.game.anonymisers import single_out_game as single_out_game
from dalenius.singling_out.game.counts import single_out_counts as single_out_counts
from dalenius.singling_out.released.triple import single_out_triple as single_out_triple
from dalenius.singling_out.rows.result import SingledOutRows as SingledOutRows
from dalenius.singling_out.rows.rows import single_out_rows as single_out_rows

"""Written on Windows: a byte order mark, CR LF line ends, tabs."""
import re
import csv
import io

CSV = '''sku,name,price
AB-100,"Umbrella, red",249.00
AB-101,"Towel ""soft""",39.50
CD-2000,Mug,120
'''

class Shelf(object):
	def __init__(self, text=CSV):
		self.rows = list(csv.DictReader(io.StringIO(text)))

	def find(self, word):
		return [row for row in self.rows if re.search(word, row["name"], re.I)]

	def __len__(self):
		return len(self.rows)

def agent_main(problem, find):
	shelf = Shelf()
	if len(shelf) > 0 and \
			problem:
		return find(problem["goal_text"]) or shelf.find("mug")
	return None

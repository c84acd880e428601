"""The report's faces: Markdown, one HTML page, JUnit XML and SARIF.

A face takes a report, or plain data that the judge made of one, and gives text. None
of them reads a file, opens a connection or decides anything.
"""

"""The style sheet of the HTML report; it also applies inside a notebook."""

STYLE = """
.projector{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:1200px;padding:0 1rem}
.projector{color:#1d2430;background:#fff}
.projector h1{font-size:1.3rem;overflow-wrap:anywhere}.projector h2{font-size:1.1rem;margin-top:2rem}
.projector h3,.projector h4{font-size:1rem;overflow-wrap:anywhere}
.projector pre,.projector code{font-family:ui-monospace,monospace;font-size:.9em;white-space:pre-wrap}
.projector pre,.projector code{background:#f4f5f7}
.projector pre{padding:.7rem}.projector table{border-collapse:collapse;font-size:.85em}
.projector td,.projector th{border:1px solid #d5d9e0;padding:.2rem .5rem;text-align:left;vertical-align:top}
.projector .ok{color:#1a7f37;font-weight:bold}.projector .bad{color:#b42318;font-weight:bold}
.projector .finding{border-left:4px solid #888;padding:.3rem .8rem;margin:.6rem 0;background:#fafbfc}
.projector .finding.error{border-color:#d1242f}.projector .finding.warning{border-color:#bf8700}
.projector .finding.info{border-color:#0969da}.projector .finding summary{cursor:pointer;overflow-wrap:anywhere}
.projector dt{font-weight:bold;margin-top:.3rem}.projector dd{margin-left:1rem;overflow-wrap:anywhere}
.projector .status{font-size:.8em;color:#57606a}.projector .side{display:flex;gap:2rem;flex-wrap:wrap}
.projector .side>div{flex:1 1 420px;min-width:0}.projector .wide{overflow-x:auto}
.projector .tree,.projector .tree ul{list-style:none;padding-left:1rem}.projector .id{color:#8b949e;font-size:.85em}
.projector .tree i{color:#57606a}.projector li.new{background:#dafbe1}.projector li.gone{background:#ffebe9}
.projector li.changed{background:#fff8c5}.projector td.differs{outline:2px solid #bf8700;outline-offset:-2px}
.projector .o-file{background:#dafbe1}.projector .o-partition{background:#ddf4ff}
.projector .o-name-mapping{background:#e6f5d0}.projector .o-initial-default{background:#fff8c5}
.projector .o-null{background:#eef0f3}.projector .o-none{background:#ffcecb}.projector .o-absent{background:#fff}
"""

"""The tables of one index. Another SCHEMA is another file, so a change here is a new number, never a migration."""

from __future__ import annotations

import apsw

from postil_indexers.embedding.base import COARSE_BITS
from postil_indexers.store.database import Database
from postil_indexers.store.version import SCHEMA
from postil_indexers.types import Kind

PLACES = 256  # rows of a vec0 block; with its own 1,024 a folder of notes left two fifths of the places empty

# Terms are made in Python (text.py) and joined by spaces, so the tokenizer must cut at white space and nowhere else.
_TOKENIZE = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Co Cn Cs Cf'"

_TABLES = f"""
CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;

CREATE TABLE documents(
  id INTEGER PRIMARY KEY,
  path BLOB NOT NULL UNIQUE,      -- as the system gave it; never decoded for opening
  path_key TEXT NOT NULL,         -- for comparing: NFC; two files may share one
  kind TEXT NOT NULL,
  language TEXT NOT NULL,
  title TEXT NOT NULL,
  note_id TEXT NOT NULL,          -- Zettel id; "" for none
  encoding TEXT NOT NULL,
  encoding_guessed INTEGER NOT NULL,
  size INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  ctime_ns INTEGER NOT NULL,
  inode INTEGER NOT NULL,
  device INTEGER NOT NULL,
  content_hash BLOB NOT NULL,     -- of the bytes on disk
  read_at_ns INTEGER NOT NULL
);

CREATE TABLE chunks(
  id INTEGER PRIMARY KEY,
  document_id INTEGER NOT NULL,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  symbol TEXT NOT NULL,
  names TEXT NOT NULL,            -- definitions that start here, space-joined
  context TEXT NOT NULL,
  text BLOB NOT NULL,             -- masked; packed: see packing.py
  hash BLOB NOT NULL              -- of the text as it is embedded; key into embeddings
);
CREATE INDEX chunks_by_document ON chunks(document_id);
CREATE INDEX chunks_by_hash ON chunks(hash);
CREATE INDEX chunks_by_kind ON chunks(kind);     -- each query counts them; the table itself takes 30 times as long

CREATE VIRTUAL TABLE content_fts USING fts5(
  body, name, path, faint,        -- faint: front matter and lines that many notes repeat
  content='', contentless_delete=1, tokenize="{_TOKENIZE}"
);
CREATE TABLE content_terms(        -- how many of each hold a term
  term TEXT PRIMARY KEY, chunks INTEGER NOT NULL, documents INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE note_lines(fingerprint INTEGER PRIMARY KEY, notes INTEGER NOT NULL);
CREATE INDEX note_lines_repeated ON note_lines(notes) WHERE notes >= 5;

CREATE TABLE definitions(
  document_id INTEGER NOT NULL, ordinal INTEGER NOT NULL,
  name TEXT NOT NULL, qualified_name TEXT NOT NULL, kind TEXT NOT NULL,
  start_line INTEGER NOT NULL, end_line INTEGER NOT NULL, line INTEGER NOT NULL,
  PRIMARY KEY(document_id, ordinal)
) WITHOUT ROWID;
CREATE INDEX definitions_by_name ON definitions(name COLLATE NOCASE);
CREATE TABLE name_uses(document_id INTEGER PRIMARY KEY, uses BLOB NOT NULL);  -- packed: see name_uses.py

CREATE TABLE headings(
  document_id INTEGER NOT NULL, line INTEGER NOT NULL, level INTEGER NOT NULL, text TEXT NOT NULL,
  PRIMARY KEY(document_id, line)
) WITHOUT ROWID;
CREATE TABLE links(
  document_id INTEGER NOT NULL, ordinal INTEGER NOT NULL,
  target TEXT NOT NULL, anchor TEXT NOT NULL, text TEXT NOT NULL, style TEXT NOT NULL,
  start INTEGER NOT NULL, end INTEGER NOT NULL, line INTEGER NOT NULL,
  target_id INTEGER,              -- the document it resolves to; null where it resolves to none
  how TEXT NOT NULL DEFAULT '', ambiguous INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY(document_id, ordinal)
) WITHOUT ROWID;
CREATE INDEX links_by_target ON links(target_id);
CREATE TABLE tags(
  name TEXT NOT NULL, document_id INTEGER NOT NULL, line INTEGER NOT NULL,
  PRIMARY KEY(name, document_id, line)
) WITHOUT ROWID;
CREATE INDEX tags_by_document ON tags(document_id);
CREATE TABLE aliases(
  document_id INTEGER NOT NULL, name TEXT NOT NULL, PRIMARY KEY(document_id, name)
) WITHOUT ROWID;
CREATE TABLE block_ids(
  document_id INTEGER NOT NULL, name TEXT NOT NULL, line INTEGER NOT NULL, PRIMARY KEY(document_id, name, line)
) WITHOUT ROWID;

CREATE TABLE models(
  id INTEGER PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  role TEXT NOT NULL,             -- "static" or "prose"; one model may have both
  dimensions INTEGER NOT NULL,
  spec TEXT NOT NULL,             -- how to load it again
  serving INTEGER NOT NULL,       -- 1: answers use it; a new model gets it when its vectors are complete
  UNIQUE(fingerprint, role)
);
CREATE TABLE embeddings(           -- a cache that outlives the chunks: moved text is not embedded twice
  model_id INTEGER NOT NULL, hash BLOB NOT NULL,
  vector BLOB,                    -- int8[dimensions]; null: the model does not know this text's characters
  UNIQUE(hash, model_id)          -- beside the rows, which fill their pages; kept by hash a third of each stays empty
);

CREATE TABLE vector_stamps(        -- of each vec0 table's state: see coarse.py
  name TEXT PRIMARY KEY, stamp INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE retired(              -- texts that went, for dropping the oldest vectors first; some may be back
  hash BLOB PRIMARY KEY, at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE ledger(
  path BLOB PRIMARY KEY, state TEXT NOT NULL, reason TEXT NOT NULL, detail TEXT NOT NULL,
  is_directory INTEGER NOT NULL, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
  at INTEGER NOT NULL, took_ms REAL NOT NULL
) WITHOUT ROWID;

CREATE TABLE people(               -- as the commits are signed, and by .mailmap
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL, email TEXT NOT NULL, shown_name TEXT NOT NULL, shown_email TEXT NOT NULL,
  UNIQUE(name, email)
);
CREATE TABLE commits(
  id INTEGER PRIMARY KEY,
  sha BLOB NOT NULL UNIQUE,
  branch TEXT NOT NULL,           -- '' where HEAD reaches it, else the short name of a branch that has it
  parents BLOB NOT NULL,          -- concatenated
  author_id INTEGER NOT NULL, committer_id INTEGER NOT NULL,
  authored_at INTEGER NOT NULL, committed_at INTEGER NOT NULL,
  kind TEXT NOT NULL,             -- see changekind.py
  is_merge INTEGER NOT NULL,
  touches INTEGER NOT NULL,       -- Touches of changekind.py: code, tests, docs
  files INTEGER NOT NULL,         -- how many it changes
  patch BLOB NOT NULL,            -- of what it changes, wherever: a cherry-pick has its original's; x'' for nothing
  text_missing INTEGER NOT NULL,
  hash BLOB NOT NULL,
  subject TEXT NOT NULL, body TEXT NOT NULL,
  added_names TEXT NOT NULL, removed_names TEXT NOT NULL
);
CREATE INDEX commits_by_time ON commits(committed_at, author_id, committer_id, kind, is_merge, authored_at);
CREATE INDEX commits_elsewhere ON commits(branch) WHERE branch > '';
CREATE INDEX commits_by_author ON commits(author_id);
CREATE INDEX commits_by_committer ON commits(committer_id);
CREATE TABLE commit_mentions(      -- issues, and commits that it reverts, picks or mends: see messages.py
  value TEXT NOT NULL, kind TEXT NOT NULL, commit_id INTEGER NOT NULL,
  PRIMARY KEY(value, kind, commit_id)
) WITHOUT ROWID;
CREATE INDEX commit_mentions_by_commit ON commit_mentions(commit_id);
CREATE TABLE releases(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, sha BLOB NOT NULL, tagged_at INTEGER NOT NULL);
CREATE TABLE commit_releases(commit_id INTEGER PRIMARY KEY, release_id INTEGER NOT NULL);  -- the first one that has it
CREATE INDEX commit_releases_by_release ON commit_releases(release_id);
CREATE TABLE ignored_commits(sha BLOB PRIMARY KEY) WITHOUT ROWID;  -- .git-blame-ignore-revs
CREATE INDEX commits_by_hash ON commits(hash);
CREATE TABLE commit_paths(id INTEGER PRIMARY KEY, path BLOB NOT NULL UNIQUE);
CREATE TABLE commit_files(
  id INTEGER PRIMARY KEY,
  commit_id INTEGER NOT NULL, path_id INTEGER NOT NULL, old_path_id INTEGER NOT NULL,
  status TEXT NOT NULL, is_binary INTEGER NOT NULL,
  old_blob BLOB NOT NULL, new_blob BLOB NOT NULL  -- the first bytes of git's ids of the content before and after
);
CREATE INDEX commit_files_by_commit ON commit_files(commit_id);
CREATE INDEX commit_files_by_path ON commit_files(path_id);
CREATE INDEX commit_files_by_old_path ON commit_files(old_path_id) WHERE old_path_id <> path_id;
CREATE TABLE hunks(
  file_id INTEGER NOT NULL, ordinal INTEGER NOT NULL,
  old_start INTEGER NOT NULL, old_lines INTEGER NOT NULL, new_start INTEGER NOT NULL, new_lines INTEGER NOT NULL,
  symbol TEXT NOT NULL, text TEXT NOT NULL, truncated INTEGER NOT NULL,
  PRIMARY KEY(file_id, ordinal)
) WITHOUT ROWID;
CREATE TABLE merged_files(         -- of merges: for following lines through them
  path_id INTEGER NOT NULL, commit_id INTEGER NOT NULL, shifts TEXT NOT NULL,
  old_blobs BLOB NOT NULL, new_blob BLOB NOT NULL,  -- of the parents, joined, and its own
  PRIMARY KEY(path_id, commit_id)
) WITHOUT ROWID;
CREATE INDEX merged_files_by_commit ON merged_files(commit_id);
CREATE VIRTUAL TABLE history_fts USING fts5(
  subject, body, log, names, paths, diff, content='', contentless_delete=1, tokenize="{_TOKENIZE}"
);
CREATE TABLE history_terms(term TEXT PRIMARY KEY, commits INTEGER NOT NULL) WITHOUT ROWID;
"""


def create_schema(connection: apsw.Connection) -> bool:
    """Make all tables where the file is new, and whether it was. Call it under the writer's lock."""
    if connection.pragma("user_version") == SCHEMA:
        return False
    with connection:
        connection.execute(_TABLES)
        connection.pragma("user_version", SCHEMA)
    return True


def create_vector_tables(connection: Database, model_id: int) -> None:
    """Two vec0 tables a model, content and history; `kind` is a partition, so that a filter can't empty the top k."""
    for kind in (Kind.CODE, Kind.COMMIT):
        connection.execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS {vector_table(model_id, kind)} "
            f"USING vec0(kind TEXT PARTITION KEY, coarse bit[{COARSE_BITS}], chunk_size={PLACES})"
        )


def vector_table(model_id: int, kind: Kind) -> str:
    return f"{'history' if kind is Kind.COMMIT else 'content'}_vectors_{int(model_id)}"

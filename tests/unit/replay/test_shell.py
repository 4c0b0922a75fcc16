"""What shell commands may write."""

import pytest

from clew.replay.shell import find_effects

CWD = "/srv/dev"


@pytest.mark.parametrize(
    "command",
    [
        "ls -la",
        "cat a.py | grep -n x | head -5",
        "git status && git diff HEAD~1 -- a.py",
        "git -C /x log --oneline | head -1",
        "grep -rn 'a > b' . 2>/dev/null",
        'echo "a > b"; pwd',
        "find . -name '*.py' | xargs wc -l",
        "sed -n '1,20p' a.py",
        "for f in a b; do echo $f; done",
        "test -f a.py && echo there",
        "X=$(git rev-parse HEAD); echo $X",
        "curl -s http://localhost:8000/health",
        "python --version",
        "cat <<'EOF'\nrm -rf /\nEOF",
        "sleep 2 # > a.py",
        "gh pr view 3 --json title",
        "chmod +x a.sh && mkdir -p b",
        "pnpm --filter web dev",
        "gofmt -l . && ruff check --no-fix && black --check .",
        "git diff --name-only | xargs -0 grep -l x",
        "xxd -l 16 a.bin | head -1",
        "base64 -d a.txt",
        'curl -XPOST -H "Authorization: Bearer $TOKEN" -d @body.json https://x/$ID | jq .',
        "curl -s -o /dev/null -w '%{http_code}' http://x",
        "curl -sSfL --max-time 5 --header 'Accept: x' https://x -o -",
        "wget -qO- https://x | head",
        "wget --spider https://x",
        "find . -name '*.py' -exec grep -l 'x > y' {} \\;",
        "find src -type f -exec wc -l {} + | sort -n",
        "ls | xargs -n 1 -I {} grep x {}",
        "fd -e py | head",
    ],
)
def test_these_write_nothing(command: str) -> None:
    assert find_effects(command, CWD).is_none


@pytest.mark.parametrize(
    ("command", "paths"),
    [
        ("echo x > a.py", ["/srv/dev/a.py"]),
        ("cat > 'b c.txt' <<'EOF'\ntext $(x)\nEOF", ["/srv/dev/b c.txt"]),
        ("ls 2>&1 >> ../log", ["/srv/log"]),
        ("sed -i 's/a/b/' a.py c.py", ["/srv/dev/s/a/b", "/srv/dev/a.py", "/srv/dev/c.py"]),
        ("sed -zi s/a/b/ a.py", ["/srv/dev/s/a/b", "/srv/dev/a.py"]),
        ("mv a.py sub/", ["/srv/dev/a.py", "/srv/dev/sub"]),
        ("rm -rf build", ["/srv/dev/build"]),
        ("cd sub && touch a", ["/srv/dev/sub/a"]),
        ("rm src/*.pyc", ["/srv/dev/src"]),
        ("echo a | tee -a out.txt", ["/srv/dev/out.txt"]),
        ("curl -o a.py http://x", ["/srv/dev/a.py"]),
        ("curl -sLo a.py http://x && cat a.py", ["/srv/dev/a.py"]),
        ("curl --output=a.py -D head.txt http://x", ["/srv/dev/a.py", "/srv/dev/head.txt"]),
        ("wget -q -O a.py http://x", ["/srv/dev/a.py"]),
        ("grep -rn x . > hits.txt", ["/srv/dev/hits.txt"]),
        ("find . -name '*.py' > list.txt", ["/srv/dev/list.txt"]),
        ("(sleep 1; echo late >> late.txt) & echo on", ["/srv/dev/late.txt"]),
    ],
)
def test_these_write_to_what_they_name(command: str, paths: list[str]) -> None:
    effects = find_effects(command, CWD)

    assert not effects.is_any
    assert list(effects.paths) == paths


@pytest.mark.parametrize(
    "command",
    [
        "python3 - <<'EOF'\nopen('a','w')\nEOF",
        "make",
        "git checkout main",
        "git commit -qm x",
        "find . -name '*.py' -delete",
        "find . -exec sed -i s/a/b/ {} +",
        "ruff check --fix",
        "echo x > $FILE",
        "echo $(make) > /dev/null",
        "cat `sh x.sh`",
        "curl -O http://x/a.py",
        "curl -sOJ http://x/a.py",
        "curl --remote-name http://x/a.py",
        "curl -K settings http://x",
        "curl -o $FILE http://x",
        "wget http://x/a.py",
        "wget -r http://x",
        "wget -qP sub http://x/a.py",
        "find . -name '*.py' -exec sh -c 'echo > {}' \\;",
        "find . -exec grep x {} \\; -delete",
        "find . -fprint list.txt",
        "find $ARGS -name x",
        "fd -e py -x rm",
        "awk '{print > \"a.py\"}' b",
        "ls | xargs rm",
        "eval ls",
        "cd $D && rm a",
        "(cd sub && rm a); rm b",
        "echo 'unclosed",
        "cat > >(tee x)",
        "ln -s a b",
        "sed 's/a/b/w out.txt' a",
        "cat <<EOF\n$(make)\nEOF",
        "sort -o a.py a.py",
        "sed -nf script a.py",
        "sed --file=script a.py",
        "sudo make install",
        "env X=1 make",
        "case x in x) ls;; esac",
        "git diff --output=a.py",
        "x" * 100_001,
        "npm run dev && make",
        "curl $ARGS http://x",
        "eslint $ARGS .",
        "gofmt -l -w .",
        "prettier --check --write .",
        "ruff check .",
        "golangci-lint run",
        "codespell -w docs",
        "shuf -o a.py a.py",
        "xxd -r a.hex a.bin",
        "xxd -i a.bin a.h",
        "base64 -i a.png -o a.txt",
        "awk -f rewrite.awk a.py",
        "git diff --name-only | xargs eslint --fix",
        "ls *.go | xargs gofmt -l -w",
        "ls | xargs -n 1 sort -o out",
        "trap 'rm a.py' EXIT",
        "git push",
        "go tool stringer",
        "cargo tree",
    ],
)
def test_these_may_write_anything(command: str) -> None:
    assert find_effects(command, CWD).is_any


def test_what_runs_on_after_its_call_is_known() -> None:
    assert find_effects("make & echo on", CWD).is_detached
    assert not find_effects("make && echo on", CWD).is_detached


def test_without_a_folder_relative_names_may_be_anywhere() -> None:
    assert find_effects("rm a.py", "").is_any


@pytest.mark.parametrize("text", ["$(" * 5000, "`" * 9999, '"' * 9999, "(" * 9999, "<<" * 9999])
def test_odd_commands_are_read_in_no_time(text: str) -> None:
    assert find_effects(text, CWD) is not None

"""A session in Chinese with pictures: a chart that hides the rain of August."""
# ruff: noqa: RUF001 - Chinese punctuation is meant

import base64

from tests.build import Call, image
from tools.make_samples.calls import bash
from tools.make_samples.chart import HEIGHT, WIDTH, draw
from tools.make_samples.opening import Setting, open_scene
from tools.make_samples.projects import rainfall
from tools.make_samples.prose import code
from tools.make_samples.scene import Scene
from tools.make_samples.workspace import Workspace


def build() -> Scene:
    """Act the session."""
    setting = Setting(at="2026-10-27T13:05:17Z", title="修正雨量图的纵轴，并加上多年平均线")
    scene = open_scene("chinese", Workspace(rainfall.ROOT, rainfall.FILES), setting)
    _find_the_lost_month(scene)
    _add_the_mean(scene)
    _mark_what_is_doubtful(scene)
    _say_it_in_words(scene)
    return scene.end()


def _find_the_lost_month(scene: Scene) -> None:
    files = scene.workspace
    wrong = draw(rainfall.RAIN_2025, low=min(rainfall.RAIN_2025))
    scene.prompt(
        """
        [Image #1] 这张图不对：看上去八月一滴雨都没下，可是表里八月有 61 毫米。请帮我找出原因，
        先不要改别的。
        """,
        image(wrong),
        after=0,
    )
    scene.act(
        files.read("chart.py"),
        files.read("rain.csv", 110, 121),
        say="图里八月的柱子确实不见了。我先看看画图的代码，再对一下 2025 年的数据。",
        think="""
        八月没有柱子，但横轴上的“8”还在，说明数据读到了，只是高度算成了零。八月正好是全年最小值。
        很可能高度是从最小值开始算的，而不是从零开始。
        """,
    )
    scene.act(
        files.edit(
            "chart.py",
            code(
                """
            low, high = min(values), max(values)
            scale = (BOTTOM - TOP) / (high - low)
            """,
                4,
            ),
            code(
                """
            scale = (BOTTOM - TOP) / max(values)
            """,
                4,
            ),
        ),
        files.edit(
            "chart.py",
            "        height = round((value - low) * scale)\n",
            "        height = round(value * scale)\n",
        ),
        say="""
        找到了。`draw` 里的高度是 `value - low`，而 `low` 是全年的最小值。八月恰好最小，所以
        高度为零；其他月份的差别也被放大了：六月看起来是二月的五倍多，实际上只有 1.8 倍。

        柱状图的纵轴应当从零开始：
        """,
    )
    scene.act(bash("uv run python plot.py 2025", "out/2025.png", told="重新画图", seconds=0.7))
    scene.act(_look(scene, draw(rainfall.RAIN_2025)))
    scene.answer(
        """
        改好了，八月的 61 毫米现在看得见了。原因只有一个：纵轴从最小值而不是从零开始。

        | 月份 | 雨量 | 原来的高度 | 现在的高度 |
        |---|---:|---:|---:|
        | 二月 | 74 毫米 | 37 像素 | 113 像素 |
        | 六月 | 131 毫米 | 200 像素 | 200 像素 |
        | 八月 | 61 毫米 | 0 像素 | 93 像素 |

        数据本身没有问题，我没有动。
        """
    )


def _add_the_mean(scene: Scene) -> None:
    files = scene.workspace
    scene.prompt(
        """
        太好了。再加两样东西：每 50 毫米一条浅灰色的格线，还有一条红色虚线，表示 2016 到 2024 年的
        月平均雨量。
        """,
        after=2.6,
    )
    scene.act(files.read("plot.py"))
    scene.act(
        files.edit(
            "chart.py",
            code('''
            from pixels import BAR, INK, Picture

            LEFT, TOP, BOTTOM = 36, 16, 216


            def draw(values: list[float]) -> Picture:
                """每个月一根柱子。"""
                picture = Picture(480, 240)
                scale = (BOTTOM - TOP) / max(values)
            '''),
            code('''
            from pixels import BAR, GRID, INK, MEAN, Picture

            LEFT, TOP, BOTTOM = 36, 16, 216


            def draw(values: list[float], mean: float) -> Picture:
                """每个月一根柱子，每 50 毫米一条格线，平均值一条虚线。"""
                picture = Picture(480, 240)
                scale = (BOTTOM - TOP) / max(values)
                for amount in range(50, int(max(values)) + 1, 50):
                    level = BOTTOM - round(amount * scale)
                    picture.fill(LEFT, level, picture.width, level + 1, GRID)
                    picture.write(6, level - 5, str(amount), INK)
            '''),
        ),
        files.edit(
            "chart.py",
            "    return picture\n",
            code(
                """
            level = BOTTOM - round(mean * scale)
            for left in range(LEFT, picture.width, 16):
                picture.fill(left, level, left + 8, level + 2, MEAN)
            return picture
            """,
                4,
            )
            + "\n",
        ),
        files.edit(
            "plot.py",
            code(
                """
            target = Path("out") / f"{year}.png"
            draw(values).save(target)
            print(target)
            """,
                4,
            ),
            code(
                """
            others = [float(row["mm"]) for row in rows if row["year"] != year]
            mean = sum(others) / len(others)
            target = Path("out") / f"{year}.png"
            draw(values, mean).save(target)
            print(f"{target}，多年平均 {mean:.1f} 毫米")
            """,
                4,
            ),
        ),
        say="格线先画，柱子后画，这样格线不会压在柱子上；虚线最后画，始终看得见。",
    )
    scene.act(
        bash(
            "uv run python plot.py 2025",
            "out/2025.png，多年平均 84.0 毫米",
            told="重新画图",
            seconds=0.7,
        )
    )
    scene.act(_look(scene, draw(rainfall.RAIN_2025, grid=50, mean=rainfall.MEAN)))
    scene.answer(
        """
        加好了。多年平均是每月 84.0 毫米；2025 年有八个月高于平均，四个月（二月、三月、四月、
        八月）低于平均。

        平均值里不包括正在画的这一年，否则每一年都会把自己的标准抬高一点。
        """
    )


def _mark_what_is_doubtful(scene: Scene) -> None:
    files = scene.workspace
    scene.prompt(
        "站上的同事说，2025 年七月雨量计堵过几天，数值只能参考。能把七月画成空心的吗？",
        after=6.9,
    )
    scene.act(
        files.edit(
            "chart.py",
            "        picture.fill(left, BOTTOM - height, left + step - 12, BOTTOM, BAR)\n",
            code(
                """
            right = left + step - 12
            picture.fill(left, BOTTOM - height, right, BOTTOM, BAR)
            if month in doubtful:
                picture.fill(left + 2, BOTTOM - height + 2, right - 2, BOTTOM, PAPER)
            """,
                8,
            )
            + "\n",
        ),
        files.edit(
            "chart.py",
            code(
                '''
                from pixels import BAR, GRID, INK, MEAN, Picture

                LEFT, TOP, BOTTOM = 36, 16, 216


                def draw(values: list[float], mean: float) -> Picture:
                    """每个月一根柱子，每 50 毫米一条格线，平均值一条虚线。"""
                '''
            ),
            code(
                '''
                from pixels import BAR, GRID, INK, MEAN, PAPER, Picture

                LEFT, TOP, BOTTOM = 36, 16, 216


                def draw(values: list[float], mean: float, doubtful: set[int]) -> Picture:
                    """每个月一根柱子，可疑的月份空心；每 50 毫米一条格线，平均值一条虚线。"""
                '''
            ),
        ),
        files.edit(
            "plot.py",
            "def main(year: str) -> None:",
            "def main(year: str, *doubtful: str) -> None:",
        ),
        files.edit(
            "plot.py",
            "draw(values, mean).save",
            "draw(values, mean, {int(month) for month in doubtful}).save",
        ),
    )
    scene.act(
        bash(
            "uv run python plot.py 2025 7",
            "out/2025.png，多年平均 84.0 毫米",
            told="七月空心",
            seconds=0.7,
        )
    )
    scene.act(_look(scene, draw(rainfall.RAIN_2025, grid=50, mean=rainfall.MEAN, hollow={6})))
    scene.answer(
        """
        可以，七月现在只有轮廓。可疑的月份写在年份后面，想写几个都行：

        ```
        uv run python plot.py 2025 7
        ```

        七月的 118 毫米没有从图里去掉：空心表示“有数值，但不完全可信”，比留一个空位更诚实。
        """
    )


def _say_it_in_words(scene: Scene) -> None:
    scene.prompt("最后帮我写两句图注，放在报告里。", after=1.4)
    scene.answer(
        """
        > **图 3** 2025 年逐月雨量（毫米）。红色虚线为 2016–2024 年的月平均值（84.0 毫米）；
        > 七月雨量计曾经堵塞，数值仅供参考，以空心柱表示。
        """
    )


def _look(scene: Scene, picture: bytes) -> Call:
    """Read a picture from a file."""
    path = scene.workspace.path("out/2025.png")
    size = {"originalWidth": WIDTH, "originalHeight": HEIGHT}
    file = {
        "base64": base64.b64encode(picture).decode(),
        "type": "image/png",
        "originalSize": len(picture),
        "dimensions": size | {"displayWidth": WIDTH, "displayHeight": HEIGHT},
    }
    result = {"type": "image", "file": file}
    return Call("Read", {"file_path": path}, [image(picture)], result)

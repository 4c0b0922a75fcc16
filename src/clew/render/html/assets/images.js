// Pictures: a click or Enter shows one at its full size, Escape or another click closes it.
const viewer = document.createElement("dialog");
viewer.className = "viewer";
viewer.setAttribute("aria-label", "Image at full size");
document.body.append(viewer);

function makeReachable(holder) {
  for (const picture of holder.querySelectorAll(".image img")) {
    picture.tabIndex = 0;
    picture.setAttribute("role", "button");
    picture.setAttribute("aria-label", `${picture.alt}, enlarge`);
  }
}

function enlarge(picture) {
  const whole = new Image();
  whole.src = picture.src;
  whole.alt = picture.alt;
  viewer.replaceChildren(whole);
  viewer.showModal();
}

document.addEventListener("click", (event) => {
  if (viewer.contains(event.target)) viewer.close();
  else if (event.target.matches(".image img")) enlarge(event.target);
});
document.addEventListener("keydown", (event) => {
  if ((event.key !== "Enter" && event.key !== " ") || !event.target.matches(".image img")) return;
  event.preventDefault();
  enlarge(event.target);
});
document.addEventListener("clew:added", (event) => makeReachable(event.target));
makeReachable(document);

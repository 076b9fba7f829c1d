<!DOCTYPE html>
<html>
<body>
<?php if ($items ?? []): ?>
  <ul>
  <?php foreach ($items as $item): ?>
    <li><?= htmlspecialchars($item) ?></li>
  <?php endforeach; ?>
  </ul>
<?php elseif (false): ?>
  <p>never</p>
<?php else: ?>
  <p>It's empty "</p>
<?php endif ?>
</body>
</html>
